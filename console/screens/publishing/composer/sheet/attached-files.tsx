import { useState } from 'react'
import { Button } from '../../../../ui/inputs/button.tsx'
import { TextArea } from '../../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../../ui/layers/dialog.tsx'
import { Menu, type MenuItem } from '../../../../ui/layers/menu.tsx'
import { say } from '../../../../ui/layers/toasts.tsx'
import { Icon } from '../../../../ui/marks/icons.tsx'
import { Progress } from '../../../../ui/marks/progress.tsx'
import { told, useChange } from '../../../../wire/queries.ts'
import { forgetUpload, type Sending, tryAgain } from '../../../../wire/uploads.ts'
import { words } from '../../../../words/words.ts'
import { type Attached, pictureOf } from '../composition.ts'

interface AttachedFilesProps {
  files: readonly Attached[]
  underWay: readonly Sending[]
  onChange: (files: readonly Attached[]) => void
}

/** What goes with the words, in its order; and what is on its way there. */
export function AttachedFiles({ files, underWay, onChange }: AttachedFilesProps) {
  const [describing, setDescribing] = useState<Attached>()
  if (files.length === 0 && underWay.length === 0) return null
  const moved = (from: number, to: number) => {
    const next = [...files]
    next.splice(to, 0, ...next.splice(from, 1))
    onChange(next)
  }
  return (
    <>
      <ul className="attached" aria-label={words.composer.attached}>
        {files.map((file, index) => (
          <li key={file.Id}>
            <Menu
              label={file.Name}
              items={[
                { label: words.composer.describe, icon: 'write', run: () => setDescribing(file) },
                ...(index > 0
                  ? [{ label: words.composer.earlier, icon: 'back', run: () => moved(index, index - 1) } as MenuItem]
                  : []),
                ...(index < files.length - 1
                  ? [{ label: words.composer.later, icon: 'forward', run: () => moved(index, index + 1) } as MenuItem]
                  : []),
                {
                  label: words.composer.takeOff,
                  icon: 'trash',
                  kind: 'danger',
                  run: () => onChange(files.filter(({ Id }) => Id !== file.Id)),
                },
              ]}
              opener={(props) => (
                <button type="button" className="attached-thumb" {...props}>
                  <Thumb file={file} />
                  <span className="unseen">{file.Name}</span>
                  {file.Description && <span className="attached-alt">{words.composer.alt}</span>}
                </button>
              )}
            />
          </li>
        ))}
        {underWay.map(({ id, name, size, sent, state, problem }) => (
          <li key={id} className="attached-coming">
            <span dir="auto">{name}</span>
            {state === 'failed' ? (
              <>
                <span className="attached-problem">{problem}</span>
                <button type="button" className="attached-again" onClick={() => tryAgain(id)}>
                  {words.ui.tryAgain}
                </button>
                <button type="button" className="attached-again" onClick={() => forgetUpload(id)}>
                  {words.ui.dismiss}
                </button>
              </>
            ) : (
              <Progress label={name} part={size === 0 ? 0 : sent / size} />
            )}
          </li>
        ))}
      </ul>
      {describing && (
        <Describe
          file={describing}
          onDone={(Description) =>
            onChange(files.map((one) => (one.Id === describing.Id ? { ...one, Description } : one)))
          }
          onClose={() => setDescribing(undefined)}
        />
      )}
    </>
  )
}

export function Thumb({ file }: { file: Attached }) {
  const [isBroken, setIsBroken] = useState(false)
  const picture = pictureOf(file)
  return picture && !isBroken ? (
    <img src={picture} alt="" loading="lazy" onError={() => setIsBroken(true)} />
  ) : (
    <span className="attached-kind">
      <Icon name={file.Type === 'Video' ? 'film' : picture ? 'picture' : 'document'} />
    </span>
  )
}

interface DescribeProps {
  file: Attached
  onDone: (description: string) => void
  onClose: () => void
}

/** What networks tell of it to people who cannot see it. It belongs to the file, wherever that is used. */
function Describe({ file, onDone, onClose }: DescribeProps) {
  const [text, setText] = useState(file.Description)
  const { mutate, isPending } = useChange('POST /media/{id}', {
    done: () => {
      onDone(text)
      onClose()
    },
    refused: (failure) => say(told(failure).sentence, { kind: 'problem' }),
    stale: ['GET /media'],
  })
  return (
    <Dialog
      title={words.composer.describeTitle}
      onClose={onClose}
      onSubmit={() => mutate({ id: file.Id, description: text })}
    >
      <div className="describe">
        <Thumb file={file} />
        <TextArea
          label={words.composer.description}
          hint={words.composer.descriptionHint}
          value={text}
          onChange={setText}
        />
      </div>
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button type="submit" kind="main" busy={isPending}>
          {words.composer.keepIt}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
