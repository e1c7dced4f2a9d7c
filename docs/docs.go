// Package docs has the pages of the documentation inside the program, so that an editor shows them
// without a network.
package docs

import "embed"

// Pages are the pages for users and those that they link to, with their pictures, by their paths
// below docs.
//
//go:embed guide/*.md reference/*.md internals/*.md images/*.png
var Pages embed.FS
