package campaign

// This file makes the digests of what results depend on beside the workspace's code. They
// are the same wherever the workspace, its libraries and the JDK stand, so that machines
// can share results.
