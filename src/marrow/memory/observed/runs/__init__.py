"""What the output of a test run says, one file a family of runners."""
