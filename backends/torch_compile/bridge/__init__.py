"""What `backends/torch_compile/*.cpp` calls inside the embedded interpreter. No other Python of this project runs there."""
