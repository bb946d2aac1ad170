"""What a sentence encoder must beat without learning: tf-idf, a look-up table, word overlap."""
