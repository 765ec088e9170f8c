"""Talk: what people and agents said to each other, one module for each form that it is kept in."""
