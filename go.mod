module catchlens

go 1.26.8

require github.com/pelletier/go-toml/v2 v2.4.3

require (
	github.com/gofrs/flock v0.12.1 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	golang.org/x/sys v0.22.0 // indirect
)
