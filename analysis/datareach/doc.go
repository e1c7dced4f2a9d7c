// Package datareach is DataReach: it discards e-c links that no flow of objects
// makes possible.
