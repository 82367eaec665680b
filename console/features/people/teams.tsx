import { useState } from 'react'
import { errorDetails, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { texts } from '@/i18n/texts.ts'
import { setSearch } from '@/routes/router.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field } from '@/ui/field.tsx'
import { EmptyState, ErrorMessage, Loading } from '@/ui/states.tsx'
import * as tableStyles from '@/ui/table.module.css'
import { type Column, Table } from '@/ui/table.tsx'
import { toast } from '@/ui/toasts.tsx'
import * as styles from './people.module.css'
import type { Team } from './user-dialogs.tsx'

/** All teams with their number of members and restricted content. */
export function Teams({ openId }: { openId: string }) {
  const mayChange = useMay()('administer')
  const { data, error, refetch } = useApiQuery('GET /team', {})
  const columns: Column<Team>[] = [
    { id: 'name', label: texts.people.team, width: '40%', render: ({ Name }) => <span dir="auto">{Name}</span> },
    { id: 'users', label: texts.people.members, isNumber: true, render: ({ Users }) => Users },
    {
      id: 'sees',
      label: texts.people.seesAlone,
      render: ({ Campaigns, Workflows, Boards }) =>
        texts.people.seesCounts(Campaigns, Workflows, Boards) || texts.people.nothingAlone,
    },
  ]
  return (
    <div className={`${tableStyles.page} ${styles.list}`}>
      <p className={`${styles.filters} muted`}>{texts.people.teamsAbout}</p>
      {mayChange && <Restricted />}
      {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.Items.length === 0 && <EmptyState icon="advocacy" title={texts.people.noTeams} />}
      {data && data.Items.length > 0 && (
        <Table
          label={texts.people.views.teams}
          columns={columns}
          rows={data.Items}
          rowId={({ Id }) => Id}
          rowLabel={({ Name }) => Name}
          openId={openId}
          onOpen={({ Id }) => setSearch({ view: 'teams', team: Id })}
        />
      )}
    </div>
  )
}

/** Content that is visible to admins only since its last team was deleted; an admin has to decide about it. */
function Restricted() {
  const { data } = useApiQuery('GET /restricted-entity', { _count: 100 })
  const [isOpen, setIsOpen] = useState(false)
  const open = useApiMutation('DELETE /restricted-entity/{entityId}', {
    invalidates: ['GET /restricted-entity'],
    onError: ({ message }) => toast(message, { kind: 'problem' }),
  })
  if (!data || data.Total === 0) return null
  return (
    <section className={styles.restricted}>
      <p>
        {texts.people.restricted(data.Total)}{' '}
        <Button variant="ghost" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? texts.ui.hide : texts.ui.show}
        </Button>
      </p>
      {isOpen && (
        <ul data-testid="entity-list" className={styles.entityList}>
          {data.Items.map(({ EntityId, Name }) => (
            <li key={EntityId}>
              <span dir="auto">{Name || EntityId}</span>
              <Button onClick={() => open.mutate({ entityId: EntityId })}>{texts.people.openToAll}</Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

export function NewTeamDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const create = useApiMutation('v2 POST /team', {
    invalidates: ['GET /team'],
    onSuccess: ({ Team: created }) => {
      onClose()
      setSearch({ view: 'teams', team: created.Id, user: '' })
    },
  })
  return (
    <Dialog
      title={texts.people.main.team}
      onClose={onClose}
      onSubmit={() => create.isPending || create.mutate({ name })}
    >
      {create.error && <ErrorMessage {...errorDetails(create.error)} />}
      <Field
        label={texts.people.teamName}
        name="name"
        value={name}
        maxLength={255}
        dir="auto"
        autoFocus
        onChange={setName}
      />
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="primary" type="submit" busy={create.isPending}>
          {texts.people.make}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface DeletingProps {
  team: Team
  onClose: () => void
  onDone: () => void
}

/** Deleting a team never makes content public: content that no other team shares stays visible to admins only. */
export function DeleteTeamDialog({ team, onClose, onDone }: DeletingProps) {
  const remove = useApiMutation('v2 DELETE /team/{id}', {
    invalidates: ['GET /team', 'GET /user', 'GET /restricted-entity'],
    onSuccess: () => {
      toast(texts.people.teamDeleted(team.Name))
      onClose()
      onDone()
    },
  })
  return (
    <Dialog
      title={texts.people.deletingTeam(team.Name)}
      onClose={onClose}
      onSubmit={() => remove.isPending || remove.mutate({ id: team.Id })}
    >
      {remove.error && <ErrorMessage {...errorDetails(remove.error)} />}
      <ul className={styles.consequences}>
        <li>{texts.people.membersStay(team.Users)}</li>
        {team.Campaigns + team.Workflows + team.Boards > 0 && (
          <li>{texts.people.thingsRestricted(texts.people.seesCounts(team.Campaigns, team.Workflows, team.Boards))}</li>
        )}
      </ul>
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="danger" type="submit" busy={remove.isPending}>
          {texts.people.deleteTeam}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
