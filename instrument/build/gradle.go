package build

import (
	"context"

	"catchlens/analysis/workspace"
)

func ResolveGradle(ctx context.Context, w *workspace.Workspace, opt ResolveOptions) ([]workspace.ResolvedClassPath, error) {
	return nil, nil
}
