import { useState } from 'react'
import { type Role, roles } from '#kernel/permissions.ts'
import type { Body } from '@/api/call.ts'
import { errorDetails, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { texts } from '@/i18n/texts.ts'
import { timeZoneOptions } from '@/time/days.ts'
import { Button } from '@/ui/button.tsx'
import { Combobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import * as fieldStyles from '@/ui/field.module.css'
import { Field, Select } from '@/ui/field.tsx'
import { Icon } from '@/ui/icons.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import * as styles from './people.module.css'

export type Person = Body<'GET /user'>['Items'][number]
export type Team = Body<'GET /team'>['Items'][number]

/** Invited users may not have a name yet. */
export const displayName = ({ Name, Email }: Pick<Person, 'Name' | 'Email'>) => Name.trim() || Email

export function EditUserDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const [firstName, setFirstName] = useState(person.FirstName)
  const [lastName, setLastName] = useState(person.LastName)
  const [email, setEmail] = useState(person.Email)
  const [timezone, setTimezone] = useState(person.Timezone)
  const change = useApiMutation('v2 POST /user/{id}', {
    invalidates: ['GET /user', 'GET /session'],
    onSuccess: onClose,
  })
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
    <Dialog title={texts.people.changing(displayName(person))} onClose={onClose} onSubmit={save}>
      {change.error && <ErrorMessage {...errorDetails(change.error)} />}
      <div className={styles.pair}>
        <Field label={texts.people.firstName} value={firstName} maxLength={64} dir="auto" onChange={setFirstName} />
        <Field label={texts.people.lastName} value={lastName} maxLength={64} dir="auto" onChange={setLastName} />
      </div>
      <Field label={texts.people.email} type="email" value={email} maxLength={254} onChange={setEmail} />
      <Combobox label={texts.people.zone} options={timeZoneOptions()} value={timezone} onChange={setTimezone} />
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="primary" type="submit" busy={change.isPending}>
          {texts.people.save}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Changes a role. Shows the added and removed permissions first. */
export function RoleDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const { data, error, refetch } = useApiQuery('GET /user/{id}/role', { id: person.Id }, { keepPrevious: false })
  const [role, setRole] = useState<Role>(person.Role)
  const change = useApiMutation('POST /user/{id}/role', {
    invalidates: ['GET /user', 'GET /user/{id}/role', 'GET /session'],
    onSuccess: () => {
      toast(texts.people.roleChanged(displayName(person), texts.shell.role[role]))
      onClose()
    },
  })
  const other = data?.Others.find(({ Role: one }) => one === role)
  const isRefused = data?.IsLastAdmin
    ? texts.people.lastAdmin
    : role === person.Role
      ? texts.people.sameRole(texts.shell.role[role])
      : undefined
  const save = () => {
    if (!isRefused && !change.isPending) change.mutate({ id: person.Id, role })
  }
  return (
    <Dialog title={texts.people.roleOf(displayName(person))} onClose={onClose} onSubmit={save}>
      {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
      {change.error && <ErrorMessage {...errorDetails(change.error)} />}
      {!data && !error && <Loading />}
      {data && (
        <>
          <Select
            label={texts.people.role}
            value={role}
            options={roles.map((value) => ({ value, label: texts.shell.role[value] }))}
            onChange={setRole}
            hint={data.IsLastAdmin ? texts.people.lastAdmin : texts.people.roleMay[role]}
          />
          <div data-testid="role-change" className={styles.roleChange} aria-live="polite">
            {other && other.Adds.length > 0 && (
              <Changes title={texts.people.adds} icon="plus" items={other.Adds.map(({ Words }) => Words)} />
            )}
            {other && other.Takes.length > 0 && (
              <Changes
                title={texts.people.takes}
                icon="close"
                items={[
                  ...other.Takes.map(({ Words }) => Words),
                  ...(other.TakesLibrary ? [texts.people.takesLibrary] : []),
                ]}
              />
            )}
            {other && <p className={fieldStyles.hint}>{texts.people.countsAtOnce(data.Sessions, data.ApiKeys)}</p>}
          </div>
        </>
      )}
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="primary" type="submit" disabledReason={isRefused} busy={change.isPending}>
          {texts.people.changeRole}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const Changes = ({ title, icon, items }: { title: string; icon: 'plus' | 'close'; items: readonly string[] }) => (
  <section className={styles.roleChanges} data-takes={icon === 'close' || undefined}>
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

/** Shows in numbers what is deleted, reassigned and kept before the user is removed. */
export function DeleteUserDialog({ person, onClose, onDone }: DeletingProps) {
  const { data, error, refetch } = useApiQuery(
    'GET /user/{id}/consequences',
    { id: person.Id },
    { keepPrevious: false },
  )
  const remove = useApiMutation('v2 DELETE /user/{id}', {
    invalidates: ['GET /user', 'GET /invitation', 'GET /team', 'GET /team/{id}/entity'],
    onSuccess: () => {
      toast(texts.people.deleted(displayName(person)))
      onClose()
      onDone()
    },
  })
  const isRefused = data?.IsLastAdmin ? texts.people.lastAdmin : undefined
  return (
    <Dialog
      title={texts.people.deleting(displayName(person))}
      onClose={onClose}
      onSubmit={() => {
        if (!isRefused && data && !remove.isPending) remove.mutate({ id: person.Id })
      }}
    >
      {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
      {remove.error && <ErrorMessage {...errorDetails(remove.error)} />}
      {!data && !error && <Loading />}
      {data && (
        <ul className={styles.consequences}>
          {[
            texts.people.endsSessions(data.Sessions, data.ApiKeys),
            data.Drafts > 0 && texts.people.endsDrafts(data.Drafts),
            data.Boards > 0 && texts.people.endsBoards(data.Boards),
            data.Conversations > 0 && texts.people.leavesConversations(data.Conversations),
            data.Steps > 0 && texts.people.leavesSteps(data.Steps, data.StepsAlone),
            data.PlannedPosts > 0 ? texts.people.keepsPosts(data.PlannedPosts) : texts.people.keepsAll,
            data.IsLastAdmin && texts.people.lastAdmin,
          ]
            .filter((line) => typeof line === 'string')
            .map((line) => (
              <li key={line}>{line}</li>
            ))}
        </ul>
      )}
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="danger" type="submit" disabledReason={isRefused} busy={remove.isPending}>
          {texts.people.delete}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
