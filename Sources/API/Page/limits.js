// The limits of the service, in a dialog.

import { patch } from './api.js'
import { dialog } from './dialog.js'
import { el } from './dom.js'
import { Mistake, choice, field, formParts, input } from './form.js'
import { parseSize, rate, sizeToType } from './format.js'
import { message } from './messages.js'
import { service } from './service.js'

const HINT = 'Per second, as 5 MB or 512 KiB. Empty: no limit.'

/// Reads a rate that was typed: 0 is no limit. A rate below 1 KiB would never end.
export function typedRate(field, pointer) {
  const bytes = parseSize(field.value)
  if (Number.isNaN(bytes)) {
    throw new Mistake(pointer, `“${field.value}” is no rate. Type a number and a unit, as 5 MB or 512 KiB.`)
  }
  return bytes ?? 0
}

export function rateField(label, pointer, bytes, hint = HINT) {
  return field(label, input({ value: sizeToType(bytes) }), { hint, pointer })
}

export function limitsForm(limits, onSaved) {
  const all = rateField('All downloads together', '/rate_bytes_per_second', limits.rate_bytes_per_second || null)
  const host = rateField('Each host', '/rate_bytes_per_second_per_host', limits.rate_bytes_per_second_per_host || null)
  const paused = field('Downloads', choice([['no', 'Run'], ['yes', 'All paused']], limits.paused ? 'yes' : 'no'),
    { pointer: '/paused' })
  return formParts([all, host, paused], 'Save limits', async () => {
    const typed = {
      rate_bytes_per_second: typedRate(all, '/rate_bytes_per_second'),
      rate_bytes_per_second_per_host: typedRate(host, '/rate_bytes_per_second_per_host'),
      paused: paused.value === 'yes',
    }
    // What was not changed stays with the settings.
    const changes = Object.entries(typed).filter(([name, value]) => value !== (limits[name] ?? 0))
    if (changes.length > 0) service.setLimits(await patch('limits', Object.fromEntries(changes)))
    service.noticed()
    message('The limits are changed. They apply now, and after a restart.')
    onSaved?.()
  })
}

const DAYS = { mon: 'Mon', tue: 'Tue', wed: 'Wed', thu: 'Thu', fri: 'Fri', sat: 'Sat', sun: 'Sun' }

function windowLine(window) {
  const days = window.days.length === 7 ? 'Every day' : window.days.map(day => DAYS[day] ?? day).join(', ')
  const limit = window.paused ? 'all paused' : window.rate_bytes_per_second ? rate(window.rate_bytes_per_second)
    : 'no limit'
  return el('li', {}, `${days} from ${window.from} to ${window.to}: ${limit}`)
}

/// The windows of the week with another limit; empty without any.
export function scheduleText(limits) {
  if (!limits.rate_schedule.length) return []
  return [el('p', { class: 'hint' }, 'In these windows of the week another limit holds:'),
    el('ul', { class: 'plain' }, ...limits.rate_schedule.map(windowLine))]
}

export async function editLimits() {
  await service.readLimits()
  if (!service.limits) return
  const shown = dialog('Limits', [...scheduleText(service.limits), limitsForm(service.limits, () => shown.close())])
  shown.querySelector('input')?.select()
}
