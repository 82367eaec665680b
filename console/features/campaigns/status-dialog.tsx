import type { Body } from '@/api/call.ts'
import { told, useCall, useChange } from '@/api/queries.ts'
import { words } from '@/i18n/texts.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Problem, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'
import { type Campaign, showing } from './campaign.ts'

export type Turn = 'paused' | 'active' | 'archived' | 'deleted'

interface StatusDialogProps {
  campaign: Campaign
  turn: Turn
  onClose: () => void
  onDeleted: () => void
}

/** Says in numbers what becomes of a campaign's posts, before anything does. */
export function StatusDialog({ campaign: { Id: id, Name, Status }, turn, onClose, onDeleted }: StatusDialogProps) {
  const { data, error } = useCall('GET /campaign/{id}/consequences', { id }, { keepsLast: false })
  const turnTo = useTurning(id, Name, Status)
  const remove = useChange('v2 DELETE /campaign/{id}', {
    stale: showing,
    done: () => {
      say(words.campaigns.did.deleted(Name))
      onClose()
      onDeleted()
    },
    refused: (failure) => say(told(failure).sentence, { kind: 'problem' }),
  })
  const w = words.campaigns
  const title = { paused: w.pauseTitle, active: w.resumeTitle, archived: w.archiveTitle, deleted: w.deleteTitle }[turn]
  const label = { paused: w.pause, active: w.resume, archived: w.archive, deleted: w.delete }[turn]
  const submit = () => {
    if (turn === 'deleted') return remove.mutate({ id })
    onClose()
    turnTo(turn)
  }
  return (
    <Dialog title={title(Name)} onClose={onClose} onSubmit={submit}>
      {error && <Problem {...told(error)} />}
      {!data && !error && <Waiting />}
      {data && <Told data={data} turn={turn} />}
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button
          type="submit"
          kind={turn === 'archived' || turn === 'deleted' ? 'danger' : 'main'}
          busy={remove.isPending || !data}
        >
          {label}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Told({ data, turn }: { data: Body<'GET /campaign/{id}/consequences'>; turn: Turn }) {
  const w = words.campaigns
  const ended = turn === 'deleted' ? data.Deleted : data.Archived
  const isEnd = turn === 'archived' || turn === 'deleted'
  const lines: [count: number, line: string][] = isEnd
    ? [
        [ended.PostsDeleted, w.postsDeleted(ended.PostsDeleted)],
        [ended.DraftsDeleted, w.draftsDeleted(ended.DraftsDeleted)],
        [ended.PostsGivenUp, w.givenUp(ended.PostsGivenUp)],
        [ended.SharesStopped, w.shares(ended.SharesStopped)],
      ]
    : turn === 'paused'
      ? [
          [data.Paused.PostsHeld, w.held(data.Paused.PostsHeld)],
          [data.Paused.SharesStopped, w.shares(data.Paused.SharesStopped)],
        ]
      : [
          [data.Active.PostsResumed, w.resumed(data.Active.PostsResumed)],
          [data.Active.PostsLate, w.late(data.Active.PostsLate)],
        ]
  const said = [...lines, [data.PostsUnderWay, w.underWay(data.PostsUnderWay)] as const].filter(([count]) => count > 0)
  return (
    <div className="consequences">
      {said.length === 0 ? (
        <p>{w.nothingPlanned}</p>
      ) : (
        <ul>
          {said.map(([, line]) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {isEnd && (
        <p className="quiet">
          {w.sentStays} {said.length > 0 && w.noWayBack}
        </p>
      )}
    </div>
  )
}

/** Turns a campaign at once, with a way back where nothing was lost by it. It goes on when the dialog is gone. */
function useTurning(id: string, name: string, before: Campaign['Status']) {
  const hasWayBack = (turn: string) => turn !== 'archived' && (before === 'active' || before === 'paused')
  const { mutate } = useChange('v2 POST /campaign/{id}', {
    stale: showing,
    done: (_body, { status = '' }) => {
      const turned = words.campaigns.did[status as Turn](name)
      // The way back is a turn too, and has none.
      const isBack = status === before
      const back = () => mutate({ id, status: before as 'active' | 'paused' })
      say(turned, !isBack && hasWayBack(status) ? { action: { label: words.ui.undo, run: back } } : {})
    },
    refused: (failure) => say(told(failure).sentence, { kind: 'problem' }),
  })
  return (turn: Exclude<Turn, 'deleted'>) => mutate({ id, status: turn })
}
