// Fields, and errors at the field that they are about.

import { el } from './dom.js'

let number = 0

/// A field with its label, a hint and a place for its error.
///
/// - Parameter pointer: The JSON Pointer of the member that the field sets, so that errors of the service find it.
export function field(label, input, { hint = null, pointer = null, isWide = false } = {}) {
  const id = `field-${number += 1}`
  input.id = id
  const error = el('p', { class: 'field-error', id: `${id}-error`, hidden: true })
  const ids = [hint && `${id}-hint`, `${id}-error`].filter(Boolean).join(' ')
  input.setAttribute('aria-describedby', ids)
  const element = el('div', { class: isWide ? 'field wide' : 'field' }, el('label', { for: id }, label), input,
    hint && el('p', { class: 'hint', id: `${id}-hint` }, hint), error)
  return {
    element, input, pointer,
    get value() { return input.value.trim() },
    complain(text) {
      error.textContent = text
      error.hidden = text === ''
      if (text) input.setAttribute('aria-invalid', 'true')
      else input.removeAttribute('aria-invalid')
    },
  }
}

export const input = (settings = {}) => el('input', { type: 'text', autocomplete: 'off', spellcheck: 'false',
  ...settings })

export const area = (settings = {}) => el('textarea', { autocomplete: 'off', spellcheck: 'false', rows: '3',
  ...settings })

export const choice = (options, value) => {
  const element = el('select', {}, ...options.map(([value, label]) => el('option', { value }, label)))
  element.value = value
  return element
}

export function clearErrors(fields) { for (const field of fields) field.complain('') }

/// Shows each error of a problem at its field, and the rest in `place`. The first field with an error gets the focus.
export function showProblem(problem, fields, place) {
  const rest = []
  let first = null
  for (const error of problem.errors ?? []) {
    const path = error.pointer ?? error.parameter ?? error.header ?? ''
    const found = fields.find(field => field.pointer !== null && isAt(path, field.pointer))
    if (!found) { rest.push(path ? `${path.replace(/^\//, '')}: ${error.detail}` : error.detail); continue }
    found.complain(error.detail)
    first ??= found
  }
  if (!problem.errors?.length) rest.push(problem.message)
  place.textContent = rest.join(' ')
  place.hidden = rest.length === 0
  const details = first?.element.closest('details')
  if (details) details.open = true
  first?.input.focus()
}

const isAt = (path, pointer) => path === pointer || path.startsWith(`${pointer}/`)

/// A dialog with a form. `save` throws a problem that is shown at its fields; the dialog stays, with what was typed.
export function formParts(fields, label, save) {
  const fault = el('p', { class: 'form-error', role: 'alert', hidden: true })
  const button = el('button', { class: 'primary' }, label)
  const form = el('form', { class: 'form', novalidate: true }, ...fields.map(field => field.element), fault,
    el('div', { class: 'form-foot' }, button))
  form.addEventListener('submit', async event => {
    event.preventDefault()
    clearErrors(fields)
    fault.hidden = true
    button.disabled = true
    try {
      await save()
    } catch (problem) {
      showProblem(problem, fields, fault)
    } finally {
      button.disabled = false
    }
  })
  return form
}

/// An error of what was typed, found before anything was sent.
export class Mistake extends Error {
  constructor(pointer, detail) {
    super(detail)
    this.errors = [{ pointer, detail }]
  }
}
