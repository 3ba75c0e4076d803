// Light, dark, or what the system says. It is set before the first paint, so that nothing flashes.

import { remember, remembered } from './preferences.js'

const THEMES = ['system', 'light', 'dark']
let theme = remembered('theme', 'system')

function apply() {
  document.documentElement.dataset.theme = theme
}

export const currentTheme = () => theme

export function setTheme(name) {
  theme = THEMES.includes(name) ? name : 'system'
  remember('theme', theme)
  apply()
}

export const nextTheme = () => THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]

apply()
