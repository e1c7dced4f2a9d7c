package filedrop;

import java.util.LinkedHashMap;
import java.util.Map;

/** The most recently used files' contents. */
public class ContentCache {
    private final Map<String, byte[]> contents;

    public ContentCache(int capacity) {
        contents = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, byte[]> eldest) {
                return size() > capacity;
            }
        };
    }

    public synchronized byte[] get(String name) throws CacheMissException {
        byte[] content = contents.get(name);
        if (content == null) {
            throw new CacheMissException(name);
        }
        return content;
    }

    public synchronized void put(String name, byte[] content) {
        contents.put(name, content);
    }

    public synchronized void remove(String name) {
        contents.remove(name);
    }
}
