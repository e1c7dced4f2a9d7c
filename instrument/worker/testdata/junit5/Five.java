package p;

import static org.junit.jupiter.api.Assertions.*;

import java.util.stream.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Five {
    static int before;
    @BeforeAll static void once() { before++; }
    @Test void passes() { assertTrue(before > 0); }
    @Test @Tag("slow") void fails() { fail("five"); }
    @Test @Disabled("not now") void disabled() {}
    @Test void assumes() { Assumptions.assumeTrue(false, "never"); }
    @ParameterizedTest @ValueSource(ints = {1, 2}) void odd(int n) { assertEquals(1, n % 2); }
    @RepeatedTest(2) void repeated() {}
    @TestFactory Stream<DynamicTest> factory() { return Stream.of(1, 2).map(i -> DynamicTest.dynamicTest("d" + i, () -> {})); }
    @Test void over() {}
    @Test void over(TestInfo i) {}
    @Test @Timeout(5) void timed() {}

    @Nested class Inner {
        @BeforeEach void each() {}
        @Test void nested() {}
    }

    // Tests of one instance that build on each other; without b, d and f they do, too.
    @TestInstance(TestInstance.Lifecycle.PER_CLASS) @TestMethodOrder(MethodOrderer.MethodName.class)
    static class Steps {
        String done = "";
        @BeforeAll void once() { done += "<"; }
        @Test void a() { done += "a"; }
        @Test void b() { fail("left out"); }
        @Test void c() { assertEquals("<a", done); }
        @ParameterizedTest @ValueSource(ints = 1) void d(int n) { fail("left out"); }
        @Nested class Deep {
            @Test void e() { assertEquals("<a", done); }
            @Test void f() { fail("left out"); }
        }
    }

    static class BadFixture {
        @BeforeAll static void fails() { throw new IllegalStateException("fixture"); }
        @Test void never() {}
    }
}
