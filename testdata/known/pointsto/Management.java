package pointsto;

import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.DynamicMBean;
import javax.management.JMException;
import javax.management.MBeanException;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.ReflectionException;

/** A server of MBeans, whose builder the JDK makes of a class constant that it passes on. */
public class Management {
    static class Gauge implements DynamicMBean {
        @Override
        public Object getAttribute(String name) throws ReflectionException {
            throw new ReflectionException(new IllegalStateException("gone"));
        }

        @Override
        public Object invoke(String action, Object[] values, String[] signature) throws MBeanException {
            throw new MBeanException(new IllegalStateException("stuck"));
        }

        @Override
        public void setAttribute(Attribute a) {
            throw new IllegalStateException("odd"); //@ site("odd gauge")
        }

        @Override
        public AttributeList getAttributes(String[] names) {
            return new AttributeList();
        }

        @Override
        public AttributeList setAttributes(AttributeList values) {
            return values;
        }

        @Override
        public MBeanInfo getMBeanInfo() {
            return new MBeanInfo(getClass().getName(), "a gauge", null, null, null, null);
        }
    }

    public static int run() throws JMException {
        int caught = 0;
        MBeanServer server = MBeanServerFactory.newMBeanServer();
        ObjectName name = new ObjectName("pointsto:type=Gauge");
        server.registerMBean(new Gauge(), name);
        try {
            server.getAttribute(name, "Level");
        } catch (ReflectionException e) { //@ includes("com/sun/jmx/interceptor/DefaultMBeanServerInterceptor.rethrow") experienced("com/sun/jmx/interceptor/DefaultMBeanServerInterceptor.rethrow")
            caught++;
        }
        try {
            server.invoke(name, "reset", null, null);
        } catch (MBeanException e) { //@ includes("com/sun/jmx/interceptor/DefaultMBeanServerInterceptor.rethrowMaybeMBeanException") experienced("com/sun/jmx/interceptor/DefaultMBeanServerInterceptor.rethrowMaybeMBeanException")
            caught++;
        }
        try {
            caught += server.isRegistered(name) ? 0 : 1;
        } catch (IllegalStateException e) { //@ excludes("odd gauge") experienced
            caught++;
        }
        server.unregisterMBean(name);
        return caught;
    }
}
