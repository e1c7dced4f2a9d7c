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

    static class BadFixture {
        @BeforeAll static void fails() { throw new IllegalStateException("fixture"); }
        @Test void never() {}
    }
}
