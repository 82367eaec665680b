import { leadsSomewhere } from '../../../shell/router.ts'
import { momentOf } from '../../../time/days.ts'
import { Button } from '../../../ui/inputs/button.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { Fact } from '../../../ui/layers/panel.tsx'
import { dayAndClock } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import type { Deed } from './deed.ts'

/** All that is known of one deed. */
export function DeedDialog({ deed, onClose }: { deed: Deed; onClose: () => void }) {
  const { Created, UserId, UserName, Operation, EntityId, Via, ViaId, Address, Fields, Count } = deed
  const person = `/app/people?user=${UserId}`
  return (
    <Dialog title={words.settings.deed(Operation)} onClose={onClose} onSubmit={onClose}>
      <dl className="settings-facts">
        <Fact name={words.settings.when}>{dayAndClock(momentOf(Created))}</Fact>
        <Fact name={words.settings.who}>
          {UserId && leadsSomewhere(person) ? (
            <a href={person} dir="auto">
              {UserName || UserId}
            </a>
          ) : (
            <span dir="auto">{UserName || words.settings.operator}</span>
          )}
        </Fact>
        <Fact name={words.settings.operation}>
          <code>{Operation}</code>
        </Fact>
        {EntityId && (
          <Fact name={words.settings.ofWhat}>
            <code>{EntityId}</code>
          </Fact>
        )}
        <Fact name={words.settings.via}>
          {words.settings.vias[Via]} {ViaId && <code>{ViaId}</code>}
        </Fact>
        <Fact name={words.settings.fromWhere}>{Address || '–'}</Fact>
        {Fields.length > 0 && (
          <Fact name={words.settings.fields}>
            <code>{Fields.join(', ')}</code>
          </Fact>
        )}
        {Count > 1 && <Fact name={words.settings.howManyThings}>{Count}</Fact>}
      </dl>
      <DialogActions>
        <Button kind="main" type="submit">
          {words.ui.close}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
