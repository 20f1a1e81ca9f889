"""How a figure or a table becomes a file: sizes, type, labels, stamp, caption; knows nothing of any one of them."""
