extension Double {
    /// The number itself within 0 to 1, else the nearest end; 0 for what is no number.
    var clampedToUnit: Double { self > 0 ? min(self, 1) : 0 }
}
