import { type Call, json, Refusal } from '../http/call.ts'
import { textOf } from '../http/fields.ts'

/** A field of the control plane that must be one of a few words. */
export function choice<Value extends string>(call: Call | object, name: string, allowed: readonly Value[]): Value {
  const value = optionalChoice(call, name, allowed)
  if (value === undefined) throw wrong(`${name} must be one of ${allowed.join(', ')}.`)
  return value
}

export function optionalChoice<Value extends string>(call: Call | object, name: string, allowed: readonly Value[]) {
  const text = textOf(call, name)
  if (text === undefined || text === '') return undefined
  const value = allowed.find((candidate) => candidate === text)
  if (value === undefined) throw wrong(`${name} must be one of ${allowed.join(', ')}.`)
  return value
}

export function wrong(sentence: string): Refusal {
  return new Refusal(json({ error: sentence }, 400))
}
