package pointsto;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** Makes every exception happen; each feature counts those that it caught. */
public class FeaturesTest {
    @Test
    public void lambdas() {
        assertEquals(17, Lambdas.run());
    }

    @Test
    public void rethrown() {
        assertEquals(12, Rethrown.run());
    }

    @Test
    public void unfinished() {
        assertEquals(4, Unfinished.run());
    }

    @Test
    public void promises() {
        assertEquals(19, Promises.run());
    }

    @Test
    public void handles() throws Throwable {
        assertEquals(18, Handles.run());
    }

    @Test
    public void loops() throws Throwable {
        assertEquals(3, Loops.run());
    }

    @Test
    public void reflective() throws Exception {
        assertEquals(17, Reflective.run());
    }

    @Test
    public void assembled() throws Exception {
        assertEquals(25, Assembled.run());
    }

    @Test
    public void pieced() throws Exception {
        assertEquals(12, Pieced.run());
    }

    @Test
    public void classTokens() throws Throwable {
        assertEquals(33, ClassTokens.run());
    }

    @Test
    public void filled() throws Exception {
        assertEquals(6, Filled.run());
    }

    @Test
    public void inflation() throws Exception {
        assertEquals(120, Inflation.run());
    }

    @Test
    public void reflectiveInitialisers() throws Throwable {
        assertEquals(10, ReflectiveInitialisers.run());
    }

    @Test
    public void channels() throws Exception {
        assertEquals(0, Channels.run());
    }

    @Test
    public void annotations() {
        assertEquals(6, Annotations.run());
    }

    @Test
    public void proxies() throws Exception {
        assertEquals(6, Proxies.run());
    }

    @Test
    public void proxiesOfParameters() throws Throwable {
        assertEquals(6, ProxiesOfParameters.run());
    }

    @Test
    public void unseen() throws Throwable {
        assertEquals(7, Unseen.run());
    }

    @Test
    public void handed() throws Throwable {
        assertEquals(11, Handed.run());
    }

    @Test
    public void engines() throws Exception {
        assertEquals(5, Engines.run());
    }

    @Test
    public void services() {
        assertEquals(3, Services.run());
    }

    @Test
    public void serialized() throws Exception {
        assertEquals(8, Serialized.run());
    }

    @Test
    public void threads() throws Exception {
        assertEquals(10, Threads.run());
    }

    @Test
    public void natives() throws Exception {
        assertEquals(14, Natives.run());
    }

    @Test
    public void enums() {
        assertEquals(7, Enums.run());
    }

    @Test
    public void records() {
        assertEquals(6, Records.run());
    }

    @Test
    public void names() throws Exception {
        assertEquals(3, NamesUse.run());
    }

    @Test
    public void parsers() throws Exception {
        assertEquals(2, Parsers.run());
    }

    @Test
    public void arrays() {
        assertEquals(5, Arrays.run());
    }

    @Test
    public void fields() {
        assertEquals(10, Fields.run());
    }

    @Test
    public void defaults() {
        assertEquals(5, Defaults.run());
    }

    @Test
    public void inner() {
        assertEquals(4, Inner.run());
    }

    @Test
    public void containers() {
        assertEquals(29, Containers.run());
    }

    @Test
    public void management() throws Exception {
        assertEquals(2, Management.run());
    }

    @Test
    public void loaders() throws Exception {
        assertEquals(6, Loaders.run());
    }
}
