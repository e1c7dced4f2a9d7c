package maven

// This file is what poms say about a project for people: name, description, addresses. Builds put
// it into files by filtered resources.

import (
	"path"
	"strings"

	"github.com/catchlens/catchlens/internal/xmltree"
)

// information holds these fields as expressions name them without their prefix, organization.name,
// and, where addresses of children do not get their path appended, the field behind "!".
type information map[string]string

// organizationFields are inherited all or none.
var organizationFields = []string{"organization.name", "organization.url"}

// addressFields are inherited with the child's path appended, unless the attribute of the element
// that is named says no.
var addressFields = []struct{ field, element, attribute string }{
	{"url", "", "child.project.url.inherit.append.path"},
	{"scm.url", "scm", "child.scm.url.inherit.append.path"},
	{"scm.connection", "scm", "child.scm.connection.inherit.append.path"},
	{"scm.developerConnection", "scm", "child.scm.developerConnection.inherit.append.path"},
}

// parseInformation reads the fields of a pom.
func parseInformation(root *xmltree.Node) information {
	info := information{}
	fields := append([]string{"name", "description", "inceptionYear", "scm.tag"}, organizationFields...)
	for _, a := range addressFields {
		fields = append(fields, a.field)
		n := root
		if a.element != "" {
			n = root.Kid(a.element)
		}
		if n != nil && n.Attrs[a.attribute] == "false" {
			info["!"+a.field] = "false"
		}
	}
	for _, f := range fields {
		if n := root.At(strings.Split(f, ".")...); n != nil && n.Text != "" {
			info[f] = n.Text
		}
	}
	return info
}

// inheritInformation lays a pom's own fields over its parent's, as Maven's inheritance assembler
// does: a name is not inherited, an organization is as a whole, and addresses get the child's path.
func inheritInformation(child *rawModel, parent information, parentModules []string) information {
	out := information{}
	has := func(fields []string) bool {
		for _, f := range fields {
			if child.info[f] != "" {
				return true
			}
		}
		return false
	}
	for _, f := range []string{"description", "inceptionYear", "scm.tag"} {
		out.put(f, parent[f])
	}
	if !has(organizationFields) {
		for _, f := range organizationFields {
			out.put(f, parent[f])
		}
	}
	for _, a := range addressFields {
		switch {
		case parent[a.field] == "":
		case parent["!"+a.field] != "":
			out.put(a.field, parent[a.field])
		default:
			out.put(a.field, appendPath(parent[a.field], childPath(child, parentModules)))
		}
		out.put("!"+a.field, parent["!"+a.field])
	}
	for f, v := range child.info {
		out[f] = v
	}
	return out
}

func (i information) put(field, value string) {
	if value != "" {
		i[field] = value
	}
}

// childPath is where a child stands below its parent, as far as addresses say: its artifact, or
// project.directory, below the folder in which the parent's modules have it.
func childPath(child *rawModel, parentModules []string) string {
	name := child.artifact
	if d := child.body.props["project.directory"]; d != "" {
		name = d
	}
	for _, m := range parentModules {
		m = strings.TrimSuffix(strings.ReplaceAll(m, `\`, "/"), "/")
		if dir, last := path.Split(m); last == child.artifact && dir != "" {
			return dir + name
		}
	}
	return name
}

// appendPath puts a path behind an address, which keeps a slash at its end; .. in the path goes up.
func appendPath(address, below string) string {
	if address == "" {
		return ""
	}
	address, slash := strings.CutSuffix(address, "/")
	for part := range strings.SplitSeq(below, "/") {
		switch part {
		case "", ".":
		case "..":
			if i := strings.LastIndexByte(address, '/'); i >= 0 {
				address = address[:i]
			}
		default:
			address += "/" + part
		}
	}
	if slash {
		address += "/"
	}
	return address
}
