import { Button } from '../../../ui/inputs/button.tsx'
import { Copy } from '../../../ui/inputs/copy.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { words } from '../../../words/words.ts'

/** A link that somebody hands over themselves; it is shown while this is open and never again. */
export const LinkDialog = ({ email, url, onClose }: { email: string; url: string; onClose: () => void }) => (
  <Dialog title={words.people.linkFor(email)} onClose={onClose} onSubmit={onClose}>
    <p>{words.people.linkWhy}</p>
    <Copy label={words.people.link} text={url} />
    <DialogActions>
      <Button kind="main" type="submit">
        {words.ui.close}
      </Button>
    </DialogActions>
  </Dialog>
)
