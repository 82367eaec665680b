import { useState } from 'react'
import { type Role, roles } from '#kernel/permissions.ts'
import type { Body } from '@/api/call.ts'
import { told, useCall, useChange } from '@/api/queries.ts'
import { words } from '@/i18n/texts.ts'
import { zones } from '@/time/days.ts'
import { Button } from '@/ui/button.tsx'
import { Combobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field, Select } from '@/ui/field.tsx'
import { Icon } from '@/ui/icons.tsx'
import { Problem, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'

export type Person = Body<'GET /user'>['Items'][number]
export type Team = Body<'GET /team'>['Items'][number]

/** Who was invited and has not come may have no name yet. */
export const calledBy = ({ Name, Email }: Pick<Person, 'Name' | 'Email'>) => Name.trim() || Email

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

/** Another role for somebody: what it adds and takes away is told before. */
export function RoleDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const { data, error, refetch } = useCall('GET /user/{id}/role', { id: person.Id }, { keepsLast: false })
  const [role, setRole] = useState<Role>(person.Role)
  const change = useChange('POST /user/{id}/role', {
    stale: ['GET /user', 'GET /user/{id}/role', 'GET /session'],
    done: () => {
      say(words.people.roleChanged(calledBy(person), words.shell.role[role]))
      onClose()
    },
  })
  const other = data?.Others.find(({ Role: one }) => one === role)
  const refuses = data?.IsLastAdmin
    ? words.people.lastAdmin
    : role === person.Role
      ? words.people.sameRole(words.shell.role[role])
      : undefined
  const save = () => {
    if (!refuses && !change.isPending) change.mutate({ id: person.Id, role })
  }
  return (
    <Dialog title={words.people.roleOf(calledBy(person))} onClose={onClose} onSubmit={save}>
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {change.error && <Problem {...told(change.error)} />}
      {!data && !error && <Waiting />}
      {data && (
        <>
          <Select
            label={words.people.role}
            value={role}
            options={roles.map((value) => ({ value, label: words.shell.role[value] }))}
            onChange={setRole}
            hint={data.IsLastAdmin ? words.people.lastAdmin : words.people.roleMay[role]}
          />
          <div className="role-change" aria-live="polite">
            {other && other.Adds.length > 0 && (
              <Changes title={words.people.adds} icon="plus" items={other.Adds.map(({ Words }) => Words)} />
            )}
            {other && other.Takes.length > 0 && (
              <Changes
                title={words.people.takes}
                icon="close"
                items={[
                  ...other.Takes.map(({ Words }) => Words),
                  ...(other.TakesLibrary ? [words.people.takesLibrary] : []),
                ]}
              />
            )}
            {other && <p className="hint">{words.people.countsAtOnce(data.Sessions, data.ApiKeys)}</p>}
          </div>
        </>
      )}
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="main" type="submit" refuses={refuses} busy={change.isPending}>
          {words.people.changeRole}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const Changes = ({ title, icon, items }: { title: string; icon: 'plus' | 'close'; items: readonly string[] }) => (
  <section className="role-part" data-takes={icon === 'close' || undefined}>
    <h3>{title}</h3>
    <ul>
      {items.map((item) => (
        <li key={item}>
          <Icon name={icon} />
          {item}
        </li>
      ))}
    </ul>
  </section>
)

interface DeletingProps {
  person: Person
  onClose: () => void
  onDone: () => void
}

/** What ends, what is left to others and what stays, in numbers, before anybody goes. */
export function DeletingUser({ person, onClose, onDone }: DeletingProps) {
  const { data, error, refetch } = useCall('GET /user/{id}/consequences', { id: person.Id }, { keepsLast: false })
  const remove = useChange('v2 DELETE /user/{id}', {
    stale: ['GET /user', 'GET /invitation', 'GET /team', 'GET /team/{id}/entity'],
    done: () => {
      say(words.people.deleted(calledBy(person)))
      onClose()
      onDone()
    },
  })
  const refuses = data?.IsLastAdmin ? words.people.lastAdmin : undefined
  return (
    <Dialog
      title={words.people.deleting(calledBy(person))}
      onClose={onClose}
      onSubmit={() => {
        if (!refuses && data && !remove.isPending) remove.mutate({ id: person.Id })
      }}
    >
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {remove.error && <Problem {...told(remove.error)} />}
      {!data && !error && <Waiting />}
      {data && (
        <ul className="people-consequences">
          {[
            words.people.endsSessions(data.Sessions, data.ApiKeys),
            data.Drafts > 0 && words.people.endsDrafts(data.Drafts),
            data.Boards > 0 && words.people.endsBoards(data.Boards),
            data.Conversations > 0 && words.people.leavesConversations(data.Conversations),
            data.Steps > 0 && words.people.leavesSteps(data.Steps, data.StepsAlone),
            data.PlannedPosts > 0 ? words.people.keepsPosts(data.PlannedPosts) : words.people.keepsAll,
            data.IsLastAdmin && words.people.lastAdmin,
          ]
            .filter((line) => typeof line === 'string')
            .map((line) => (
              <li key={line}>{line}</li>
            ))}
        </ul>
      )}
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="danger" type="submit" refuses={refuses} busy={remove.isPending}>
          {words.people.delete}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
