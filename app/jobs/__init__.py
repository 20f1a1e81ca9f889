"""Work that is done beside the page: in threads, in processes, after a pause."""
