// An object with some members of its own in place of those that it has, for planted faults.

export const withMembers = <T extends object>(inner: T, own: Partial<T>): T =>
  new Proxy(inner, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
