package shop;

class Rare {
    String get(String what) {
        return what.isEmpty() ? store() : what;
    }

    private String store() {
        return "store";
    }
}
