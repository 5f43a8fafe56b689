// Icons and buttons: with a text, or with an icon alone, whose label is read out and shown under the pointer.
import type { IconNode } from 'lucide';
import { type ComponentChildren, h } from 'preact';

interface IconProps {
  readonly of: IconNode;
  readonly size?: number;
}

/** By Lucide, drawn as inline SVG: no request, no font. */
export const Icon = ({ of, size = 16 }: IconProps) => (
  <svg
    class="icon"
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width={1.75}
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {of.map(([tag, attributes]) => h(tag, attributes))}
  </svg>
);

interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly icon?: IconNode;
  readonly iconSize?: number;
  /** Where the text is not always shown. */
  readonly label?: string | undefined;
  /** Classes of base.css. */
  readonly kind?: string | undefined;
  readonly disabled?: boolean;
  /** Whether it has the focus when its dialog opens, if no field before it has. */
  readonly isFirst?: boolean;
  /** Without it the button submits its form. */
  readonly onClick?: () => void;
}

export const Button = ({
  children,
  icon,
  iconSize = 16,
  label,
  kind = '',
  disabled = false,
  isFirst,
  onClick,
}: ButtonProps) => (
  <button
    type={onClick === undefined ? 'submit' : 'button'}
    class={`button ${kind}`}
    aria-label={label}
    title={label}
    disabled={disabled}
    data-autofocus={isFirst}
    onClick={onClick}
  >
    {icon !== undefined && <Icon of={icon} size={iconSize} />}
    {children}
  </button>
);

interface IconButtonProps {
  readonly icon: IconNode;
  readonly label: string;
  readonly isSmall?: boolean;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

export const IconButton = ({ isSmall = false, ...props }: IconButtonProps) => (
  <Button kind={isSmall ? 'quiet square small' : 'quiet square'} iconSize={isSmall ? 14 : 16} {...props} />
);

type LinkButtonProps = Pick<ButtonProps, 'children' | 'disabled' | 'onClick'>;

/** An action in a line of text. */
export const LinkButton = ({ children, disabled = false, onClick }: LinkButtonProps) => (
  <button type="button" class="link" disabled={disabled} onClick={onClick}>
    {children}
  </button>
);
