"""What leaves the workspace: versions, their files, and one writer per target format."""
