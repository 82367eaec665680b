import { useState } from 'react'
import { Button, IconButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field } from '@/ui/field.tsx'
import { Panel } from '@/ui/layout.tsx'
import { Menu } from '@/ui/menu.tsx'
import { Popover } from '@/ui/popover.tsx'
import { toast } from '@/ui/toasts.tsx'
import { Example, type ExamplesProps } from './example.tsx'
import * as styles from './gallery.module.css'

export function Overlays({ only }: ExamplesProps) {
  const [last, setLast] = useState('Nothing')
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Example name="Dialog" only={only}>
        <Dialogs />
      </Example>
      <Example name="Menu" only={only}>
        <Menu
          label="Post actions"
          trigger={(props) => <Button {...props}>Actions</Button>}
          items={[
            { label: 'Edit', icon: 'write', shortcut: 'e', onSelect: () => setLast('Edit') },
            { label: 'Duplicate', icon: 'copy', shortcut: 'd', onSelect: () => setLast('Duplicate') },
            { label: 'Download', icon: 'download', onSelect: () => setLast('Download') },
            { label: 'Delete', icon: 'trash', kind: 'danger', onSelect: () => setLast('Delete') },
          ]}
        />
        <Button>After</Button>
        <p className={styles.result}>Chosen: {last}</p>
      </Example>
      <Example name="Popover" only={only}>
        <Popover
          label="Appearance"
          isOpen={isOpen}
          onToggle={setIsOpen}
          trigger={(props) => <Button {...props}>Appearance</Button>}
        >
          <Field label="Accent" defaultValue="Pine" />
        </Popover>
      </Example>
      <Example name="Tooltip" only={only}>
        <IconButton icon="settings" label="Settings" />
      </Example>
      <Example name="Panel" only={only}>
        <Panels />
      </Example>
      <Example name="Toasts" only={only}>
        <Button onClick={() => toast('3 posts were moved.')}>Show a message</Button>
        <Button onClick={() => toast('The post was refused.', { kind: 'problem' })}>Show a problem</Button>
        <Button
          onClick={() =>
            toast('1 post was deleted.', { action: { label: 'Undo', run: () => toast('The post is back.') } })
          }
        >
          Show an undo
        </Button>
      </Example>
    </>
  )
}

function Dialogs() {
  const [open, setOpen] = useState<'form' | 'question'>()
  const [name, setName] = useState('Spring')
  const close = () => setOpen(undefined)
  return (
    <>
      <Button onClick={() => setOpen('form')}>Rename</Button>
      <Button variant="danger" onClick={() => setOpen('question')}>
        Delete
      </Button>
      <p className={styles.result}>Named {name}</p>
      {open === 'form' && (
        <Dialog title="Rename campaign" onClose={close} onSubmit={close}>
          <Field label="Name" value={name} onChange={setName} />
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button variant="primary" type="submit">
              Rename campaign
            </Button>
          </DialogActions>
        </Dialog>
      )}
      {open === 'question' && (
        <Dialog title="Delete campaign" onClose={close}>
          <p>31 scheduled posts are deleted with it.</p>
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button variant="danger" onClick={close}>
              Delete campaign
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  )
}

function Panels() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Open the panel</Button>
      {isOpen && (
        <Panel title="Spring range" onClose={() => setIsOpen(false)} actions={<Button>Duplicate</Button>}>
          <Field label="End date" type="date" />
        </Panel>
      )}
    </>
  )
}
