import { useState } from 'react'
import { Button } from '../../../ui/inputs/button.tsx'
import { Combobox } from '../../../ui/inputs/combobox.tsx'
import { Field } from '../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { Problem } from '../../../ui/layout/states.tsx'
import { told, useChange } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'
import { zones } from '../zones.ts'
import { calledBy, type Person } from './person.ts'

/** Name, address and zone of somebody else. */
export function ChangingUser({ person, onClose }: { person: Person; onClose: () => void }) {
  const [firstName, setFirstName] = useState(person.FirstName)
  const [lastName, setLastName] = useState(person.LastName)
  const [email, setEmail] = useState(person.Email)
  const [timezone, setTimezone] = useState(person.Timezone)
  const change = useChange('v2 POST /user/{id}', { stale: ['GET /user', 'GET /session'], done: onClose })
  const save = () => {
    if (change.isPending) return
    change.mutate({
      id: person.Id,
      timezone,
      ...(firstName !== person.FirstName && { firstName }),
      ...(lastName !== person.LastName && { lastName }),
      ...(email !== person.Email && { email }),
    })
  }
  return (
    <Dialog title={words.people.changing(calledBy(person))} onClose={onClose} onSubmit={save}>
      {change.error && <Problem {...told(change.error)} />}
      <div className="people-pair">
        <Field label={words.people.firstName} value={firstName} maxLength={64} dir="auto" onChange={setFirstName} />
        <Field label={words.people.lastName} value={lastName} maxLength={64} dir="auto" onChange={setLastName} />
      </div>
      <Field label={words.people.email} type="email" value={email} maxLength={254} onChange={setEmail} />
      <Combobox label={words.people.zone} options={zones()} value={timezone} onChange={setTimezone} />
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="main" type="submit" busy={change.isPending}>
          {words.people.save}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
