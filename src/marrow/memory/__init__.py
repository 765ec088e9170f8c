"""The verbs. One file each, with one public function of its name."""
