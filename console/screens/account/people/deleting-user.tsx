import { Button } from '../../../ui/inputs/button.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Problem, Waiting } from '../../../ui/layout/states.tsx'
import { told, useCall, useChange } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'
import { calledBy, type Person } from './person.ts'

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
