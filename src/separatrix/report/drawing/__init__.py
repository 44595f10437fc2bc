"""What displays and films draw with: the plane, its window and units, colours, regions, labels."""
