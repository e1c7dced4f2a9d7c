package callchain

// BuildWithin is Build with other room for counting.
var BuildWithin = build
