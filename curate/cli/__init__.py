"""The command line: options, help, exit codes. Every command imports what it needs in its body."""
