//! Enumerations whose values have labels.

/// Makes an enumeration with the list of its values and their labels from one table, so that no list can lack a value.
macro_rules! labelled {
    ($(#[$about:meta])* pub enum $name:ident { $($(#[$of:meta])* $value:ident = $label:literal,)+ }) => {
        $(#[$about])*
        pub enum $name {
            $($(#[$of])* $value,)+
        }

        impl $name {
            /// Every value, in order.
            pub const ALL: &[Self] = &[$(Self::$value),+];

            /// The value as shown to people.
            pub fn label(self) -> &'static str {
                match self {
                    $(Self::$value => $label,)+
                }
            }
        }
    };
}

pub(crate) use labelled;
