// What the page remembers in this browser. A browser that refuses storage only forgets.

export function remembered(name, fallback) {
  try { return JSON.parse(localStorage.getItem(`cormorant.${name}`)) ?? fallback } catch { return fallback }
}

export function remember(name, value) {
  try { localStorage.setItem(`cormorant.${name}`, JSON.stringify(value)) } catch { /* It is forgotten. */ }
}
