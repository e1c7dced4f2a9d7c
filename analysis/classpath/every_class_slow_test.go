//go:build slow

package classpath

import (
	"testing"

	"github.com/catchlens/catchlens/internal/testjdk"
)

// TestEveryClassOfEveryJDK reads and writes every class of every JDK.
func TestEveryClassOfEveryJDK(t *testing.T) {
	floors := map[int]int{8: 20000, 17: 26000, 25: 26500}
	for _, home := range testjdk.All(t) {
		jdk := openJDK(t, home)
		var s seen
		s.checkEntry(t, jdk.Entry(), func(string) bool { return true })
		if s.classes < floors[jdk.Feature] {
			t.Errorf("JDK %d: only %d classes", jdk.Feature, s.classes)
		}
		for _, name := range []string{"Exceptions", "BootstrapMethods", "InnerClasses", "EnclosingMethod", "NestHost",
			"NestMembers",
			"Signature", "SourceFile", "Record", "PermittedSubclasses", "RuntimeVisibleAnnotations", "ConstantValue",
			"LineNumberTable", "StackMapTable"} {
			if s.attributes[name] == 0 && jdk.Feature >= 17 {
				t.Errorf("JDK %d: no %s", jdk.Feature, name)
			}
		}
		if image, ok := jdk.Entry().(*Image); ok {
			modules, err := image.Modules()
			if err != nil || len(modules) < 60 {
				t.Errorf("%d modules, %v", len(modules), err)
			}
			for _, name := range modules {
				if m, err := image.Module(name); err != nil || m.Name != name {
					t.Errorf("module %s is %+v, %v", name, m, err)
				}
			}
		}
	}
}
