// Package pagestyle has what the pages for a browser have in common: colours, light and dark, a
// column with what there is, and sources with their line numbers.
package pagestyle

import (
	_ "embed"
	"html/template"
)

//go:embed page.css
var css string

// CSS is the style that a page's own style follows. It needs nothing from elsewhere.
func CSS() template.CSS { return template.CSS(css) }
