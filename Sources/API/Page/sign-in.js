// Asks for the token of the service.

import { isAccepted, onTokenNeeded, setToken } from './api.js'
import { $, el } from './dom.js'
import { field, input } from './form.js'

let asked = null

/// One dialog for all requests that wait for a token.
function askForToken(problem, wasRefused) {
  asked ??= new Promise(resolve => show(problem, wasRefused, resolve)).finally(() => { asked = null })
  return asked
}

function show(problem, wasRefused, resolve) {
  const token = field('Token', input({ type: 'password', autocomplete: 'current-password' }), {
    hint: 'The service wrote the path of its file to the log when it started for the first time.',
  })
  const keep = el('input', { type: 'checkbox', id: 'keep-token' })
  const button = el('button', { class: 'primary' }, 'Sign in')
  const form = el('form', { class: 'form' }, token.element,
    el('label', { class: 'check' }, keep, 'Keep it until this tab is closed'), el('div', { class: 'form-foot' },
      button))
  const dialog = el('dialog', { class: 'sign-in', 'aria-labelledby': 'sign-in-title' },
    el('h2', { id: 'sign-in-title' }, 'Sign in to Cormorant'), form)
  if (wasRefused) token.complain('The token is no longer accepted.')
  // A service without a token refuses requests through a proxy; no token helps there, and it says so.
  else if (/through a proxy/.test(problem.message)) token.complain(problem.message)
  // Without a token nothing can be shown, so Escape closes nothing.
  dialog.addEventListener('cancel', event => event.preventDefault())
  form.addEventListener('submit', async event => {
    event.preventDefault()
    button.disabled = true
    try {
      if (!token.value) throw new Error('Type the token of the service.')
      if (!/^[\x21-\x7e]+$/.test(token.value)) throw new Error('A token has only visible ASCII characters.')
      await isAccepted(token.value)
      setToken(token.value, keep.checked)
      dialog.close()
      dialog.remove()
      resolve()
    } catch (error) {
      token.complain(error.status === 401 ? 'This is not the token of the service.' : wordsFor(error))
      token.input.select()
    } finally {
      button.disabled = false
    }
  })
  $('page').append(dialog)
  dialog.showModal()
  token.input.focus()
}

const wordsFor = error => error instanceof TypeError ? 'The service cannot be reached.' : error.message

onTokenNeeded(askForToken)
