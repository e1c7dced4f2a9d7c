package features

import (
	"strings"

	"github.com/catchlens/catchlens/analysis/facts"
)

// This file tells which code asks for services of XML signatures.

// XMLSignatures is the security provider of XML signatures. What it makes, and with it
// the parsers of XML, would seem to be behind each getInstance of each kind of service,
// a method of Provider.Service that it overrides. So it is there where it is asked for.
const XMLSignatures = "org/jcp/xml/dsig/internal/dom/XMLDSigRI"

// AsksForXMLSignatures tells whether a method looks for services that only
// XMLSignatures has.
func AsksForXMLSignatures(class string, m *facts.Method) bool {
	return m.Name == "getInstance" && strings.HasPrefix(class, "javax/xml/crypto/dsig/")
}
