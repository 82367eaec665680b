import { useState } from 'react'
import { addDays, type Day, dayOf, now, wallOf } from '../../../time/days.ts'
import { Button } from '../../../ui/inputs/button.tsx'
import { Copy } from '../../../ui/inputs/copy.tsx'
import { DayField } from '../../../ui/inputs/day-field.tsx'
import { Field, Select } from '../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { Problem } from '../../../ui/layout/states.tsx'
import { call } from '../../../wire/call.ts'
import { readAgain, told } from '../../../wire/queries.ts'
import { useWho } from '../../../wire/session.ts'
import { words } from '../../../words/words.ts'

const lengths = ['30', '90', '365', 'day', 'never'] as const
type Length = (typeof lengths)[number]

/** A new key: asked for and shown here. With this dialog it is gone from the page. */
export function MakingKey({ onClose }: { onClose: () => void }) {
  const { Account } = useWho()
  const today = dayOf(now())
  const [name, setName] = useState('')
  const [length, setLength] = useState<Length>('90')
  const [day, setDay] = useState<Day | ''>(addDays(today, 30))
  const [key, setKey] = useState<string>()
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setIsBusy] = useState(false)
  const make = async () => {
    if (isBusy) return
    setIsBusy(true)
    const end = length === 'never' ? '' : length === 'day' ? day : addDays(today, Number(length))
    try {
      const made = await call('POST /api-key', { name, ...(end && { expires: Math.floor(wallOf(end) / 1000) }) })
      setKey(made.ApiKey.Key)
      setProblem(undefined)
    } catch (error) {
      setProblem(error)
    }
    setIsBusy(false)
    readAgain('GET /api-key')
  }
  if (key !== undefined)
    return (
      <Dialog title={words.settings.keyMade(name)} onClose={onClose} onSubmit={onClose}>
        <p>{words.settings.keyOnce}</p>
        <Copy label={words.settings.key} text={key} />
        <Copy label={words.settings.tryKey} text={`curl -u ${Account.Id}:${key} ${location.origin}/v2/me`} />
        <DialogActions>
          <Button kind="main" type="submit">
            {words.settings.keyKept}
          </Button>
        </DialogActions>
      </Dialog>
    )
  return (
    <Dialog title={words.settings.makeKey} onClose={onClose} onSubmit={() => void make()}>
      {problem !== undefined && <Problem {...told(problem)} />}
      <Field
        label={words.settings.keyName}
        name="name"
        hint={words.settings.keyNameWhy}
        value={name}
        maxLength={100}
        dir="auto"
        autoFocus
        onChange={setName}
      />
      <Select
        label={words.settings.keyEnds}
        value={length}
        options={lengths.map((value) => ({ value, label: words.settings.keyLengths[value] }))}
        onChange={setLength}
      />
      {length === 'day' && (
        <DayField label={words.settings.keyDay} value={day} min={addDays(today, 1)} onChange={setDay} />
      )}
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="main" type="submit" busy={isBusy}>
          {words.settings.make}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
