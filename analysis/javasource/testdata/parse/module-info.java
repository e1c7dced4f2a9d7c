@Deprecated
open module parse.odd {
    requires transitive java.base;
    exports parse.odd to java.desktop, java.sql;
    provides java.lang.Runnable with parse.odd.Impl;
}
