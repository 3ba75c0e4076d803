// Makes elements. Text is always set as text, never parsed as HTML, so data from outside cannot become markup.

import { paths } from './icons.js'

const PROPERTIES = new Set(['value', 'checked', 'disabled', 'hidden', 'max', 'textContent', 'indeterminate', 'open'])

/// Makes an element: `el('button', { class: 'quiet', onclick: save }, 'Save')`. Children are elements or text;
/// null and false are skipped.
export function el(tag, settings = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined || value === null) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (PROPERTIES.has(name)) element[name] = value
    else if (value === true) element.setAttribute(name, '')
    else if (value !== false) element.setAttribute(name, value)
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false))
  return element
}

export function svg(tag, settings = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(settings)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

export function icon(name) {
  return svg('svg', { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true' }, svg('path', { d: paths[name] }))
}

/// A button that shows an icon alone; its label is read aloud and shown as a tooltip.
export function iconButton(name, label, onclick, settings = {}) {
  return el('button', { type: 'button', class: 'icon-button', 'aria-label': label, title: label, onclick, ...settings },
    icon(name))
}

const LINKED = /^(https?|ftp):\/\//i

/// A link to a URL, if its scheme is one that is safe to open; the text alone otherwise.
export function link(url, text = url) {
  if (!LINKED.test(url)) return document.createTextNode(text)
  return el('a', { href: url, rel: 'noopener noreferrer', target: '_blank' }, text)
}

/// Sets the text of an element if it differs: an unchanged node costs no layout.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text
}

export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name)
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? '' : value)
}

export const $ = id => document.getElementById(id)

/// Whether the focus is where letters are typed, so that no letter is a shortcut.
export function isTyping(target) {
  return target.matches?.('input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]') ?? false
}
