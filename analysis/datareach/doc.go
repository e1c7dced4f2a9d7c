// Package datareach is DataReach: it discards e-c links that no flow of objects
// makes possible.
//
// Fu, Ryder, Milanova, Wonnacott: Testing of Java Web Services for Robustness,
// ISSTA 2004, section 3.2 and Figure 6.
package datareach
