package workspace

import "context"

// openGradle opens the project at dir.
func (o *opener) openGradle(ctx context.Context, dir string) { o.scanPlain(ctx, dir) }
